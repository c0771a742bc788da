/** Writing primary records so that views follow at once. */
package io.indexview.client.write;
