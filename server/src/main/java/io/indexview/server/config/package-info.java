/** The configuration of the server. */
package io.indexview.server.config;
