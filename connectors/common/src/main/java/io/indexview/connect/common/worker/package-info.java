/** The version of the plugins. */
package io.indexview.connect.common.version;
