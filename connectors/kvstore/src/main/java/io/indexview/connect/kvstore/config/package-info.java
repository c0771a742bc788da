/** Configuration of the KV store connectors. */
package io.indexview.connect.kvstore.config;
