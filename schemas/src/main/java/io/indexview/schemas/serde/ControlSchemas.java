package io.indexview.schemas.serde;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.avro.Schema;

/** The Avro schemas that Indexview's own parts talk in, parsed once from the bundled files. */
public final class ControlSchemas {
  /** The {@code source} block of the change envelope. */
  public static final Schema SOURCE = load("Source");

  /** The primary record of one S3 object. */
  public static final Schema FILE_RECORD = load("FileRecord");

  /** The primary record of a value that is a text. */
  public static final Schema STRING_RECORD = load("StringRecord");

  /** The primary record of a value that is taken as it is. */
  public static final Schema BYTES_RECORD = load("BytesRecord");

  public static final Schema SOURCE_STATE = load("SourceState");
  public static final Schema VIEW_DEFINITION = load("ViewDefinitionRecord");
  public static final Schema VIEW_GENERATION = load("ViewGenerationRecord");
  public static final Schema VIEW_STATE = load("ViewStateRecord");
  public static final Schema VIEW_PROGRESS = load("ViewProgressRecord");
  public static final Schema VIEW_VERIFICATION = load("ViewVerificationRecord");
  public static final Schema VIEW_REPAIR = load("ViewRepairRecord");
  public static final Schema RECORD_SET = load("RecordSetRecord");
  public static final Schema SOURCE_REQUEST = load("SourceRequestRecord");

  /** Key of the control record of a view topic. */
  public static final Schema VIEW_TOPIC_CONTROL = load("ViewTopicControl");

  /** What the controller of the views remembers. */
  public static final Schema CONTROLLER_STATE =
      load("ControllerStateRecord", VIEW_DEFINITION, VIEW_GENERATION);

  public static final Schema DEAD_LETTER = load("DeadLetter");

  private ControlSchemas() {}

  private static Schema load(String name, Schema... known) {
    String resource = "/io/indexview/schemas/" + name + ".avsc";
    try (InputStream in = ControlSchemas.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not on the class path: broken build");
      }
      Schema.Parser parser = new Schema.Parser();
      parser.addTypes(List.of(known));
      return parser.parse(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
