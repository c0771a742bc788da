/** The server, as commands see it. */
package io.indexview.cli.api;
