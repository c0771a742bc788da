/** The control topics: their records as Java types, and reading and writing them. */
package io.indexview.schemas.control;
