/** Looking at what others change: again and again, together, and not twice for the same. */
package io.indexview.client.poll;
