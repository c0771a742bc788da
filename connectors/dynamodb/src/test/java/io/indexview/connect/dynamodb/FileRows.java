package io.indexview.connect.dynamodb;

import io.apicurio.registry.utils.converter.avro.AvroData;
import io.apicurio.registry.utils.converter.avro.AvroDataConfig;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.sink.SinkRecord;

/** Rows of a file view as a sink receives them. */
final class FileRows {
  private static final String INDEXES =
      """
      indexes:
        - name: uploadUser-uploadDate-index
          partitionKey: uploadUser
          sortKey: uploadDate
        - name: bucketName-size-index
          partitionKey: bucketName
          sortKey: size
      """;

  private final ViewGeneration generation;
  private final RowSchemas schemas;
  private final AvroData connect = new AvroData(new AvroDataConfig(Map.of()));
  private final Map<Integer, Long> offsets = new HashMap<>();

  FileRows(String table) {
    this(table, 1, "new-table");
  }

  FileRows(String table, int number, String swap) {
    this(table, number, swap, true);
  }

  FileRows(String table, int number, String swap, boolean indexed) {
    this("", table, number, swap, indexed);
  }

  /**
   * @param uid of the view in its installation
   */
  FileRows(String uid, String table, int number, String swap, boolean indexed) {
    RecordSet files =
        new RecordSet(
            "files",
            "indexview.changes.files",
            RecordFormat.ENVELOPE,
            List.of("objectKey"),
            ControlSchemas.FILE_RECORD);
    String definition =
        """
        name: %s
        source: files
        kind: document
        key: [objectKey]
        include: [bucketName, size, uploadUser, uploadDate]
        target: dynamodb
        table: %s
        swap: %s
        """
                .formatted(view(table), table, swap)
            + (indexed ? INDEXES : "");
    generation =
        ViewGeneration.freeze(
                new ViewDefinitionParser().parse("view.yaml", definition),
                number,
                files,
                new Topics(Topics.DEFAULT_PREFIX))
            .withUid(uid);
    schemas = RowSchemas.of(generation);
  }

  /** Each table has a view of its own. */
  private static String view(String table) {
    return "files-of-" + table.toLowerCase(Locale.ROOT);
  }

  ViewGeneration generation() {
    return generation;
  }

  String topic() {
    return generation.viewTopic();
  }

  SinkRecord upsert(int partition, String objectKey, long revision, String user, Long size) {
    GenericRecord value = new GenericData.Record(schemas.value());
    value.put("bucketName", "documents");
    value.put("size", size);
    value.put("uploadUser", user);
    value.put("uploadDate", "2017-08-20");
    value.put("_revision", revision);
    return record(partition, objectKey, revision, connect.toConnectData(schemas.value(), value));
  }

  SinkRecord delete(int partition, String objectKey, long revision) {
    return record(partition, objectKey, revision, SchemaAndValue.NULL);
  }

  private SinkRecord record(int partition, String objectKey, long revision, SchemaAndValue value) {
    GenericRecord key = new GenericData.Record(schemas.key());
    key.put("objectKey", objectKey);
    key.put("_primaryKey", "documents/" + objectKey);
    SchemaAndValue connectKey = connect.toConnectData(schemas.key(), key);
    long offset = offsets.merge(partition, 1L, Long::sum) - 1;
    SinkRecord record =
        new SinkRecord(
            topic(),
            partition,
            connectKey.schema(),
            connectKey.value(),
            value.schema(),
            value.value(),
            offset);
    ConnectHeaders headers = new ConnectHeaders();
    headers.addString(RowHeaders.REVISION, Long.toString(revision));
    headers.addString(RowHeaders.GENERATION, String.valueOf(generation.number()));
    headers.forEach(record.headers()::add);
    return record;
  }
}
