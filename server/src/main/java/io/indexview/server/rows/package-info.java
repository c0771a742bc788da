/** Rows of views. */
package io.indexview.server.rows;
