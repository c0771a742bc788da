/** Views: what is wanted of them, and what is. */
package io.indexview.server.view;
