/** JSON of requests and answers. */
package io.indexview.server.json;
