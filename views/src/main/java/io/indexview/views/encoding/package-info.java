/** Field values as text whose byte order is the order of the values, and back. */
package io.indexview.views.encoding;
