/** How view files become frozen generations at start, and how tasks learn of them. */
package io.indexview.streams.generation;
