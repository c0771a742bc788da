package io.indexview.connect.common.source;

import io.apicurio.registry.utils.converter.avro.AvroData;
import io.apicurio.registry.utils.converter.avro.AvroDataConfig;
import java.util.Map;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;

/** Avro records as Connect data, such that any Avro converter makes the same Avro of it again. */
final class ConnectData {
  private final AvroData avroData =
      new AvroData(
          new AvroDataConfig(
              Map.of(
                  AvroDataConfig.SCHEMAS_CACHE_SIZE_CONFIG,
                  16,
                  // keeps enums what they are
                  AvroDataConfig.ENHANCED_AVRO_SCHEMA_SUPPORT_CONFIG,
                  true)));

  Schema schemaOf(org.apache.avro.Schema schema) {
    return avroData.toConnectSchema(schema);
  }

  SchemaAndValue of(IndexedRecord record) {
    return avroData.toConnectData(record.getSchema(), record);
  }
}
