/** What requests say, read and checked. */
package io.indexview.server.parameter;
