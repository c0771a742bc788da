/** The web server around the resources: address, protocol, who may come in. */
package io.indexview.server.http;
