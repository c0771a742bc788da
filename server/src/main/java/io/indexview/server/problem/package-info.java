/** Errors as JSON problem details. */
package io.indexview.server.problem;
