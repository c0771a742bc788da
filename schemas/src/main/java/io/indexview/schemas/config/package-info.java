/** What the configurations of all processes have in common. */
package io.indexview.schemas.config;
