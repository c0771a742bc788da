package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.demo.DataSet.Snapshot;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class DemoPlanTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("records [a-z-]+ (airports|people) ['\\[{\": a-z,]*(/[^ \"]+)");

  private final DemoPlan plan = DemoPlan.shipped(Path.of(""));

  private static RecordSet recordSet(String name, Schema schema) {
    return new RecordSet(name, name, RecordFormat.ENVELOPE, List.of("objectKey"), schema);
  }

  @Test
  void shipsViewsThatAreValidForTheShippedSchemas() {
    Map<String, RecordSet> sets = new HashMap<>();
    plan.dataSets().forEach(set -> sets.put(set.name(), recordSet(set.name(), set.schema())));
    sets.put(PipelineSpec.FILES, recordSet(PipelineSpec.FILES, ControlSchemas.FILE_RECORD));

    assertThat(new ViewDefinitionParser().parseAll(plan.views(), sets)).hasSize(6);
  }

  @Test
  void hasTheKeysOfTheGuideInItsRecordSets() throws IOException {
    String guide = Files.readString(Path.of("../docs/cli.md"));
    List<MatchResult> examples = EXAMPLE.matcher(guide).results().toList();

    assertThat(examples).extracting(example -> example.group(1)).contains("airports", "people");
    assertThat(examples)
        .allSatisfy(
            example ->
                assertThat(List.of(example.group(2).substring(1).split("/")))
                    .startsWith(
                        plan.dataSet(example.group(1)).key().prefix().toArray(String[]::new)));
  }

  @Test
  void shipsRecordsThatFitTheirSchemasAndHaveKeysOfTheirOwn() throws IOException {
    Map<String, Integer> records = new HashMap<>();
    for (DataSet set : plan.dataSets()) {
      for (Snapshot snapshot : set.snapshots()) {
        records.put(snapshot.name(), count(set, snapshot));
      }
    }

    assertThat(records)
        .containsEntry("airports/airports-1.ndjson.gz", 8107)
        .containsEntry("airports/airports-2.ndjson.gz", 7698)
        .containsEntry("people/people-1.ndjson", 12)
        .containsEntry("people/people-2.ndjson", 11);
  }

  private static int count(DataSet set, Snapshot snapshot) throws IOException {
    Set<List<String>> keys = new HashSet<>();
    try (JsonLines lines = snapshot.open(set.schema())) {
      for (JsonLines.Line line = lines.next(); line != null; line = lines.next()) {
        assertThat(keys.add(set.key().major(line.json()))).as(lines.position()).isTrue();
      }
    }
    return keys.size();
  }
}
