package io.indexview.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.Printer;
import io.indexview.cli.output.TerminalText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code indexview records}. */
@Command(
    name = "records",
    description = "Writes, reads and removes primary records.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RecordsCommand.PutCommand.class,
      RecordsCommand.GetCommand.class,
      RecordsCommand.DeleteCommand.class,
      RecordsListCommand.class,
      RecordsMultiDeleteCommand.class,
      RecordsExecuteCommand.class
    })
public final class RecordsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  /** Which record a command is about. */
  static final class RecordKey {
    @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
    private String recordSet;

    @Parameters(index = "1", paramLabel = "KEY", description = "Key path, as in /World/cities/17.")
    private String key;

    /** The record at the server. */
    ApiPath path() {
      return ApiPath.of("records", recordSet).with("key", key);
    }
  }

  /** Prints what the server says of a write. */
  static final class WrittenRecord {
    private WrittenRecord() {}

    static void print(JsonNode written, ServerOptions options) {
      options
          .printer()
          .print(
              written,
              out -> {
                out.println("key      " + written.path("key").asText());
                out.println("version  " + written.path("version").asText());
                if (written.hasNonNull("token")) {
                  out.println("token    " + written.path("token").asText());
                }
              });
      if (written.hasNonNull("warning")) {
        options.err().println(TerminalText.clean(written.path("warning").asText()));
        options.err().flush();
      }
    }
  }

  /** {@code indexview records get}. */
  @Command(name = "get", description = "Reads a primary record, with absolute consistency.")
  static final class GetCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;
    @Mixin private RecordKey key;

    @Override
    public Integer call() {
      JsonNode record = options.client().get(key.path());
      options
          .printer()
          .print(
              record,
              out -> {
                out.println("key      " + record.path("key").asText());
                out.println("version  " + record.path("version").asText());
                Printer.yaml(record.path("value"))
                    .lines()
                    .forEach(line -> out.println("  " + line));
              });
      return ExitCodes.OK;
    }
  }

  /** {@code indexview records delete}. */
  @Command(
      name = "delete",
      description = {
        "Removes a primary record.",
        "Prints the version that it had, and a token for `query --at-least`."
      })
  static final class DeleteCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;
    @Mixin private RecordKey key;

    @Option(
        names = "--if-version",
        paramLabel = "VERSION",
        description = "Only if the record has this version.")
    private String version;

    @Override
    public Integer call() {
      WrittenRecord.print(
          options.client().delete(key.path().with("ifVersion", version), Map.of()), options);
      return ExitCodes.OK;
    }
  }

  /** {@code indexview records put}. */
  @Command(
      name = "put",
      description = {
        "Creates or replaces a primary record.",
        "Prints its version, and a token for `query --at-least`."
      })
  static final class PutCommand implements Callable<Integer> {
    private static final String REMEDY = "write '{\"field\": \"value\"}'";

    @Mixin private ServerOptions options;
    @Mixin private RecordKey key;

    @Parameters(
        index = "2",
        paramLabel = "JSON",
        description = "The record as a JSON object; - is standard input.")
    private String json;

    @ArgGroup private Condition condition = new Condition();

    private static final class Condition {
      @Option(
          names = "--if-version",
          paramLabel = "VERSION",
          description = "Only if the record has this version.")
      private String version;

      @Option(names = "--if-absent", description = "Only if there is no record yet.")
      private boolean absent;
    }

    @Override
    public Integer call() {
      ObjectNode body = JsonNodeFactory.instance.objectNode().put("key", key.key);
      body.set("value", value());
      if (condition.version != null) {
        body.put("ifVersion", condition.version);
      }
      if (condition.absent) {
        body.put("ifAbsent", true);
      }
      JsonNode written =
          options.client().post(ApiPath.of("records", key.recordSet), Body.json(body), Map.of());
      WrittenRecord.print(written, options);
      return ExitCodes.OK;
    }

    private JsonNode value() {
      JsonNode value = JsonArgument.read(json, "the record", REMEDY);
      if (!value.isObject()) {
        throw new CommandException.Usage("the record is no JSON object; " + REMEDY);
      }
      return value;
    }
  }

  /** JSON on a command line. */
  static final class JsonArgument {
    private static final String STANDARD_INPUT = "-";

    /**
     * Nothing may be lost without a word: what follows the first value, a member that is there
     * twice, digits that no double holds.
     */
    private static final JsonMapper JSON =
        JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private JsonArgument() {}

    /**
     * Reads it; {@code -} is what the standard input holds.
     *
     * @param what for messages, as in {@code the record}
     * @throws CommandException.Usage if it is no JSON, or more than one value
     */
    static JsonNode read(String argument, String what, String remedy) {
      try {
        JsonNode value =
            JSON.readTree(argument.equals(STANDARD_INPUT) ? standardInput() : argument);
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value.toString())) {
          throw new CommandException.Usage(
              "%s holds half a surrogate pair, which is no character; %s".formatted(what, remedy));
        }
        return value;
      } catch (JsonProcessingException e) {
        throw new CommandException.Usage(
            "%s is not JSON: %s; %s".formatted(what, e.getOriginalMessage(), remedy), e);
      } catch (NumberFormatException e) {
        // Thrown as it is for exponents beyond an int's.
        throw new CommandException.Usage(
            "%s holds a number with too large an exponent".formatted(what), e);
      } catch (CharacterCodingException e) {
        throw new CommandException.Usage(
            "%s holds bytes that are no UTF-8; have standard input in UTF-8".formatted(what), e);
      } catch (IOException e) {
        throw new CommandException.Usage("standard input cannot be read: " + e.getMessage(), e);
      }
    }

    /** A decoder of its own refuses what {@code new String} makes U+FFFD of. */
    private static String standardInput() throws IOException {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(System.in.readAllBytes()))
          .toString();
    }
  }
}
