/** Sources in the API. */
package io.indexview.server.source;
