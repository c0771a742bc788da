/** What a view is: its definition, parsed and validated, and the generations frozen from it. */
package io.indexview.views.definition;
