/**
 * The order guard: which change of a primary record is newer, shared by the app and the sources.
 */
package io.indexview.schemas.order;
