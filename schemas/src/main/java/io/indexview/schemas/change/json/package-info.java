/** Change events in JSON, as Kafka Connect's JsonConverter writes them. */
package io.indexview.schemas.change.json;
