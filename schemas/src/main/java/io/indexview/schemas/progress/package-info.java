/** How far consumer groups have come: the streams app itself and the sinks behind it. */
package io.indexview.schemas.progress;
