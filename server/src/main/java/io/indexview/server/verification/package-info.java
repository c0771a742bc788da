/** {@code /views/{name}/verifications}. */
package io.indexview.server.verification;
