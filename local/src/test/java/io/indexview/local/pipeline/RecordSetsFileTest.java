package io.indexview.local.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.config.InvalidConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordSetsFileTest {
  private static final String BOOK =
      """
      {"type": "record", "name": "Book", "fields": [
        {"name": "title", "type": "string"}, {"name": "author", "type": "string"}]}""";
  private static final String BOOKS =
      """
      record.sets=books
      record.set.books.prefix=/Library/books
      record.set.books.schema.file=book.avsc
      """;

  @TempDir private Path directory;
  private Path data;

  @BeforeEach
  void write() throws IOException {
    data = Files.createDirectories(directory.resolve("data"));
    Files.writeString(directory.resolve("book.avsc"), BOOK);
  }

  private PipelineSpec read(String text) throws IOException {
    Files.writeString(directory.resolve("record-sets.properties"), text);
    return RecordSetsFile.read(directory, data);
  }

  private List<String> problems(String text) throws IOException {
    try {
      return List.of("none: " + read(text));
    } catch (InvalidConfigException e) {
      return e.problems();
    }
  }

  @Test
  void readsRecordSetsWithPathsThatCountFromTheFile() throws IOException {
    PipelineSpec spec = read(BOOKS);

    RecordSetSpec books = spec.recordSets().get(0);
    assertThat(books.name()).isEqualTo("books");
    assertThat(books.keyPrefix()).containsExactly("Library", "books");
    assertThat(books.schema().getField("author")).isNotNull();
    assertThat(spec.viewsDir()).isEqualTo(data.resolve("views"));
    assertThat(spec.hasViews()).isFalse();
    assertThat(spec.fileKeys().matcher("USER001_FILE001.txt").matches()).isTrue();
    assertThat(spec.fileAttributes()).contains("user_metadata");
  }

  @Test
  void saysThatThereIsNoFile() {
    for (Path missing : List.of(directory, directory.resolve("nowhere.properties"))) {
      assertThatThrownBy(() -> RecordSetsFile.read(missing, data))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContainingAll(directory.toString(), "there is no such file; name")
          .hasMessageNotContaining("Exception");
    }
  }

  @Test
  void readsEverythingThatASourceTakes() throws IOException {
    Files.createDirectories(directory.resolve("my-views"));
    Files.writeString(
        directory.resolve("my-views/by-author.yaml"),
        "name: by-author\nsource: books\nkey: [author]\ntarget: kv\n");
    PipelineSpec spec =
        read(
            BOOKS
                + """
                record.sets=books, notes, raw
                record.set.books.minor.keys=/-,/-/contact
                record.set.notes.prefix=/Library/notes%20and%2For
                record.set.notes.schema={"type": "record", "name": "N", "fields": []}
                record.set.notes.value.format=json
                record.set.raw.prefix=/Library/raw
                record.set.raw.value.format=bytes
                views.dir=my-views
                s3.key.pattern=(?<uploadUser>[^/]+)/(?<fileId>.+)
                s3.attributes=tags
                """);

    assertThat(spec.recordSets())
        .extracting(set -> set.settings().get("value.format"))
        .containsExactly(null, "json", "bytes");
    assertThat(spec.recordSets().get(0).settings())
        .isEqualTo(Map.of("minor.keys", "/-,/-/contact"));
    assertThat(spec.recordSets().get(1).keyPrefix()).containsExactly("Library", "notes and/or");
    assertThat(spec.recordSets().get(2).schema().getField("value")).isNotNull();
    assertThat(spec.viewsDir()).isEqualTo(directory.resolve("my-views"));
    assertThat(spec.fileKeys().matcher("ann/a.txt").matches()).isTrue();
    assertThat(spec.fileAttributes()).isEqualTo("tags");

    spec.save(data);
    assertThat(PipelineSpec.saved(data).orElseThrow().recordSets()).isEqualTo(spec.recordSets());
    assertThat(PipelineSpec.saved(data).orElseThrow().fileAttributes()).isEqualTo("tags");
  }

  @Test
  void namesEverythingThatIsWrong() throws IOException {
    assertThat(
            problems(
                """
                record.sets=books,files
                record.set.books.prefix=Library
                record.set.books.schema.file=none.avsc
                record.set.books.topic=t
                record.set.files.prefix=/F
                record.set.planets.prefix=/P
                record.set.books.value.format=xml
                s3.key.pattern=(
                views.dir=nowhere
                bootstrap.servers=x
                """))
        .anyMatch(line -> line.startsWith("record.set.books.prefix: "))
        .anyMatch(line -> line.startsWith("record.set.books.schema.file: "))
        .anyMatch(line -> line.startsWith("record.set.books.topic: no such key here"))
        .anyMatch(line -> line.startsWith("record.set.books.value.format: "))
        .anyMatch(line -> line.startsWith("record.set.planets.prefix: record.sets does not name"))
        .anyMatch(line -> line.startsWith("record.sets: files is the record set of"))
        .anyMatch(line -> line.startsWith("s3.key.pattern: "))
        .anyMatch(line -> line.startsWith("views.dir: ") && line.endsWith("is no directory"))
        .anyMatch(line -> line.startsWith("bootstrap.servers: no such key here"));
    assertThat(problems("")).containsExactly("record.sets: is missing; name a record set");
    assertThat(
            problems(
                "record.sets=books\nrecord.set.books.prefix=/IDX\n"
                    + "record.set.books.schema.file=book.avsc\n"))
        .singleElement()
        .asString()
        .contains("where views keep rows");
  }

  @Test
  void refusesViewsThatDoNotFitTheRecordSets() throws IOException {
    Files.createDirectories(directory.resolve("v"));
    assertThat(problems(BOOKS + "views.dir=v\n"))
        .singleElement()
        .asString()
        .contains("no view definition");
    Files.writeString(
        directory.resolve("v/x.yaml"), "name: x\nsource: books\nkey: [isbn]\ntarget: kv\n");

    assertThat(problems(BOOKS + "views.dir=v\n")).singleElement().asString().contains("isbn");
  }

  @Test
  void refusesNamesThatTheAppRefuses() throws IOException {
    for (String name : List.of("my_books", "Books")) {
      assertThat(problems(BOOKS.replace("=books", "=" + name).replace("set.books", "set." + name)))
          .singleElement()
          .asString()
          .contains(name, "a-z 0-9 -");
    }
  }

  @Test
  void takesFurtherRecordSetsOnTheDataOfAnEarlierStackAndNoOthers() throws IOException {
    read(BOOKS).save(data);
    String notes =
        """
        record.set.notes.prefix=/Library/notes
        record.set.notes.value.format=string
        """;

    assertThat(read(BOOKS + "record.sets=books,notes\n" + notes).recordSets()).hasSize(2);
    for (String text :
        List.of(
            BOOKS + "record.sets=notes,books\n" + notes,
            "record.sets=notes\n" + notes,
            BOOKS.replace("/Library/books", "/Library/volumes"),
            BOOKS + "record.set.books.value.format=json\n")) {
      assertThat(problems(text)).as(text).singleElement().asString().contains("another --data");
    }
  }
}
