/** What every connector's configuration is built from: groups of keys, fragments, validators. */
package io.indexview.connect.common.config;
