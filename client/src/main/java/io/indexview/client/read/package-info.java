/** Reading the rows of views, page by page, by the states that the targets tell of them. */
package io.indexview.client.read;
