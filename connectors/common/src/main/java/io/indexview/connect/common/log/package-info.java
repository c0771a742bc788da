/** The primary-change topic as a source reads it. */
package io.indexview.connect.common.log;
