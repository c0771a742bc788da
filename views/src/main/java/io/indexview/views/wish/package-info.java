/** What a wish for a view means beside the wishes and generations that stand. */
package io.indexview.views.wish;
