/** Computes the examples of docs/views.md. */
package io.indexview.views.guide;
