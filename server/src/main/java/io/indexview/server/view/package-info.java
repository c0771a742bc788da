/** Views: what is wanted of them, what is, and whether their rows are right. */
package io.indexview.server.view;
