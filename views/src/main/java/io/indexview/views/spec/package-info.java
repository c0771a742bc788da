/** What a spec for a view means beside the specs and generations that stand. */
package io.indexview.views.spec;
