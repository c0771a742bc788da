/** Time that passes, whatever the wall clock is set to. */
package io.indexview.schemas.time;
