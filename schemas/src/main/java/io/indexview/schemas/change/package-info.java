/** Change events: what a primary-change topic carries, as plain Java. */
package io.indexview.schemas.change;
