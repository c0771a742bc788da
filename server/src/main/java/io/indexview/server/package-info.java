/** The REST server: assembly and command line. */
package io.indexview.server;
