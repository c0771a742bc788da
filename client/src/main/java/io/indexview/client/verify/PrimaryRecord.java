package io.indexview.client.verify;

import org.apache.avro.generic.GenericRecord;

/** A primary record as it stands in its store now. */
public record PrimaryRecord(String primaryKey, GenericRecord value) {}
