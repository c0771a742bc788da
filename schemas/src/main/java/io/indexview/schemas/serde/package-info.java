/**
 * Avro in the Confluent wire format: a zero byte, the schema's registry id in four bytes, the Avro
 * binary.
 */
package io.indexview.schemas.serde;
