/** What a write returns, so that a read can wait for it. */
package io.indexview.client.token;
