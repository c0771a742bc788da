/** Page tokens: where the next page of some reading starts, as text that cannot be forged. */
package io.indexview.client.page;
