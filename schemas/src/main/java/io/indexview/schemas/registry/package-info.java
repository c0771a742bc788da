/** A client of the schema registry REST API that Confluent's registry and its likes speak. */
package io.indexview.schemas.registry;
