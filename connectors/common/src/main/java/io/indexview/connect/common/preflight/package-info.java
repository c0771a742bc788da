/** Tries a configuration out before a connector is deployed with it. */
package io.indexview.connect.common.preflight;
