/** Tests of the plugin as a whole. */
package io.indexview.connect.kvstore;
