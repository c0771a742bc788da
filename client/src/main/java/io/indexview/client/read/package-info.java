/** Reading the rows of views, by the states that the targets tell of them. */
package io.indexview.client.read;
