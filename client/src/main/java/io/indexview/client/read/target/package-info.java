/** What reading a view needs of its target: a port, and queries in the terms of a view's key. */
package io.indexview.client.read.target;
