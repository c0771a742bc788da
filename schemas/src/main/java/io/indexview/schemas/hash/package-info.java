/** What stands for bytes in keys, names and comparisons. */
package io.indexview.schemas.hash;
