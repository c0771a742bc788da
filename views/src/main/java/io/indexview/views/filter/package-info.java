/** Filters of views: CEL expressions over the fields of a record. */
package io.indexview.views.filter;
