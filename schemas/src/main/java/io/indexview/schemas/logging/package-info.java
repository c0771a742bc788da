/** What all processes log by the same rule. */
package io.indexview.schemas.logging;
