/** Searching files by what is known of them, in the table of a file view. */
package io.indexview.client.files;
