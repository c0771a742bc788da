package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.read.StoredView.TestRow;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.RecordDecoder;
import io.indexview.views.derive.ViewRow;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Files, from their records as the S3 source publishes them to what a reader finds. */
class UserMetadataSearchTest {
  private static final Schema FILE = ControlSchemas.FILE_RECORD;
  private static final RecordSet FILES =
      new RecordSet("files", "changes.files", RecordFormat.FLAT, List.of("objectKey"), FILE);

  private final StoredKvView stored = new StoredKvView();

  @AfterEach
  void close() {
    stored.close();
  }

  @Test
  void findsFilesByTheirUserMetadataAndTags() throws Exception {
    ViewGeneration generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser()
                .parse(
                    "view.yaml",
                    """
                    name: files-by-project
                    source: files
                    key: [userMetadata.project, tags.cost.center]
                    shardKey: 1
                    target: kv
                    """),
            1,
            FILES,
            new Topics("indexview"));
    stored.serve(generation);
    put(generation, "a.txt", Map.of("project", "apollo"), Map.of("cost.center", "7"));
    put(generation, "b.txt", Map.of("project", "gemini"), Map.of("cost.center", "7"));
    put(generation, "c.txt", Map.of("project", "apollo"), Map.of("cost.center", "8", "x", "y"));
    put(generation, "d.txt", Map.of("project", "apollo"), Map.of());

    ViewQuery apollo = ViewQuery.of("files-by-project").where("userMetadata.project", "apollo");
    assertThat(found(apollo)).containsExactly("bucket/a.txt", "bucket/c.txt");
    assertThat(found(apollo.where("tags.cost.center", "8"))).containsExactly("bucket/c.txt");
    assertThat(found(ViewQuery.of("files-by-project").where("project", "gemini")))
        .containsExactly("bucket/b.txt");
  }

  private List<String> found(ViewQuery query) {
    IndexViewReader reader = stored.reader(ReaderConfig.of(PageTokens.ofThisProcess()));
    return reader.read(query).rows().stream().map(RowPage.Row::primaryKey).toList();
  }

  private void put(
      ViewGeneration generation,
      String file,
      Map<String, String> metadata,
      Map<String, String> tags)
      throws Exception {
    GenericRecord record =
        new GenericRecordBuilder(FILE)
            .set("objectKey", file)
            .set("bucketName", "bucket")
            .set("userMetadata", metadata)
            .set("tags", tags)
            .build();
    Schema projection = RecordDecoder.projection(FILE, List.of(generation));
    RecordDecoder decoder = new RecordDecoder(RecordFormat.FLAT, projection, id -> FILE);
    CompiledView view = CompiledView.compile(generation, projection);
    String primaryKey = "bucket/" + file;
    for (ViewRow row : view.rows(decoder.decodeForViews(framed(record)), primaryKey)) {
      GenericRecord key = view.keyOf(row);
      Map<String, Object> values =
          Map.of("project", key.get("project").toString(), "center", key.get("center").toString());
      stored.put(generation, new TestRow(values, primaryKey, Map.of()), 1);
    }
  }

  private static FramedValue framed(GenericRecord record) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(FILE).write(record, encoder);
    encoder.flush();
    return new FramedValue(1, out.toByteArray(), 0, out.size());
  }
}
