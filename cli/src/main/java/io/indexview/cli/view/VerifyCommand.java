package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code indexview views verify}. */
@Command(
    name = "verify",
    description = {
      "Compares the rows of views' targets with what the streams app derived, while both change.",
      "Servers run it, whether this command is there or not. Rows that are on their way are never"
          + " called wrong; those that changed each time they were read are counted as unjudged.",
      "With --repair the streams app writes wrong rows anew, and deletes those that its records do"
          + " not have; the view is DEGRADED until they are right. What is unexpected among the rows stays, and"
          + " tombstones that should be gone, but with --repair=all the sink removes them: list them"
          + " first, without --repair.",
      "Exit code: 0 all judged rows are right or repaired, 1 some are wrong, or one was not done to its end, 4 no"
          + " such view or verification, 5 no server; the highest one of several views. What is"
          + " unexpected or unjudged does not count."
    })
final class VerifyCommand implements Callable<Integer> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  /** Problem of views that a generic sink writes to where the server was not told to read them. */
  private static final String NOT_READABLE = "target-not-readable";

  private static final Duration RETRY = Duration.ofSeconds(5);

  /** A server that is back after it goes on with the verification. */
  private static final Duration OUTAGE_TIMEOUT = Duration.ofMinutes(3);

  @Mixin private ServerOptions options;
  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "VIEW", description = "Names of views.")
  private List<String> views = List.of();

  @Option(
      names = "--all",
      description =
          "All views, but for those of generic sinks whose rows the server is not set up to read.")
  private boolean all;

  @ArgGroup private What what = new What();

  /** One of them. */
  private static final class What {
    @ArgGroup(exclusive = false)
    private How how = new How();

    @Option(names = "--last", description = "Only shows the last one.")
    private boolean last;

    @Option(names = "--cancel", description = "Ends the one that is not over.")
    private boolean cancel;
  }

  /** What is to be mended, as it is written. */
  private enum Repair {
    wrong,
    all
  }

  /** What follows a bare {@code --repair} is the name of a view. */
  private static final class RepairAlone implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (!"=".equals(info.get("separator"))) {
        arguments.push(Repair.wrong.name());
      }
      return false;
    }
  }

  /** Options of a new verification. */
  private static final class How {
    private static final String ROWS_PER_SECOND = "rowsPerSecond";
    private static final String BYTES_PER_SECOND = "bytesPerSecond";
    private static final String READ_UNITS_PER_SECOND = "readUnitsPerSecond";
    private static final String SAMPLE_PERCENT = "samplePercent";
    private static final String WITH_SOURCE = "withSource";
    private static final String REPAIR = "repair";
    private static final String REMOVE_UNEXPECTED = "removeUnexpected";
    private static final List<String> OPTIONS =
        List.of(
            ROWS_PER_SECOND,
            BYTES_PER_SECOND,
            READ_UNITS_PER_SECOND,
            SAMPLE_PERCENT,
            WITH_SOURCE,
            REPAIR,
            REMOVE_UNEXPECTED);

    @Option(
        names = "--rows-per-second",
        paramLabel = "N",
        description = "How many rows of a target to read at most. Default: no limit")
    private Integer rowsPerSecond;

    @Option(
        names = "--bytes-per-second",
        paramLabel = "N",
        description = "How many bytes of keys and values, likewise.")
    private Long bytesPerSecond;

    @Option(
        names = "--read-units-per-second",
        paramLabel = "N",
        description = "How many read units of a DynamoDB table, likewise.")
    private Integer readUnitsPerSecond;

    @Option(
        names = "--sample",
        paramLabel = "PERCENT",
        description =
            "Compares only so many of the rows, chosen by their keys, others each time. Target and"
                + " topic are read as a whole nevertheless.")
    private Double samplePercent;

    @Option(
        names = "--with-source",
        description = {
          "Has the sources scan everything first, and waits until what they found is derived. Those"
              + " that make no scan when they are asked are named, with the reason."
        })
    private boolean withSource;

    @Option(
        names = "--repair",
        arity = "0..1",
        preprocessor = RepairAlone.class,
        paramLabel = "WHAT",
        description =
            "Has wrong rows written anew (wrong, the default), or also removes what lies among the"
                + " rows and is none of them, and expired tombstones (all).")
    private Repair repair;

    @Option(
        names = "--watch",
        description = "Begins again after each end, until Ctrl-C; a line for each.")
    private boolean watch;

    ObjectNode body() {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      if (rowsPerSecond != null) {
        body.put(ROWS_PER_SECOND, rowsPerSecond);
      }
      if (bytesPerSecond != null) {
        body.put(BYTES_PER_SECOND, bytesPerSecond);
      }
      if (readUnitsPerSecond != null) {
        body.put(READ_UNITS_PER_SECOND, readUnitsPerSecond);
      }
      // Left out of all rows, as in answers: is() compares with those.
      if (samplePercent != null && samplePercent != VerificationTables.ALL_PERCENT) {
        body.put(SAMPLE_PERCENT, samplePercent);
      }
      body.put(WITH_SOURCE, withSource);
      body.put(REPAIR, repair != null);
      body.put(REMOVE_UNEXPECTED, repair == Repair.all);
      return body;
    }

    /** Whether a verification was asked for in the same way. */
    boolean is(JsonNode verification) {
      ObjectNode body = body();
      return OPTIONS.stream()
          .allMatch(
              option -> body.path(option).asText().equals(verification.path(option).asText()));
    }
  }

  @Option(names = "--no-wait", description = "Does not wait for its end.")
  private boolean noWait;

  /** Whether the address is right, so that what fails later is an outage. */
  private boolean isAnswered;

  /** Views of which a verification may have been asked for without an answer. */
  private final Set<String> unanswered = new HashSet<>();

  /** What became of the verification of one view. */
  private final class Asked {
    private final String view;
    private JsonNode known;
    private int exitCode;
    private boolean isLeftOut;
    private ProgressLine progress;

    Asked(String view) {
      this.view = view;
    }

    /** What the server refuses of one view is shown, and the others go on. */
    void tell(RuntimeException refusal, int code) {
      options.err().println(TerminalText.clean("%s: %s".formatted(view, refusal.getMessage())));
      options.err().flush();
      exitCode = code;
    }

    /** Nobody asked for it by its name. */
    void leaveOut(RuntimeException refusal) {
      isLeftOut = true;
      tell(refusal, ExitCodes.OK);
    }

    boolean isOpen() {
      return VerifyCommand.isOpen(known);
    }

    /**
     * Whether to pause before the next try: what failed, or was refused, would only do so again if
     * it were tried at once.
     */
    boolean isWorthAPause() {
      return known == null || is("failed");
    }

    private boolean is(String status) {
      return VerifyCommand.is(known, status);
    }

    void poll(ServerClient server) throws InterruptedException {
      try {
        known = server.get(path(view, known.path("id").asText()), OUTAGE_TIMEOUT);
        sayHowFar();
      } catch (ApiException | CommandException.Unavailable e) {
        tellOutage(e);
      }
    }

    void begin(ServerClient server, boolean paints) throws InterruptedException {
      long rowsBefore = 0;
      try {
        rowsBefore = rowsBefore(server);
      } catch (ApiException | CommandException.Unavailable e) {
        tellOutage(e);
      }
      progress = new ProgressLine(view, rowsBefore, paints, options.err());
      sayHowFar();
    }

    /**
     * Prints an outage while a watch goes on: the verification goes on, too. Without a watch, or if
     * it cannot pass, it is thrown.
     */
    private void tellOutage(RuntimeException failure) {
      if (!what.how.watch || !ServerClient.mayPass(failure)) {
        throw failure;
      }
      tell(failure, ExitCodes.UNAVAILABLE);
    }

    /** Rows of the last verification that came to its end; 0: there is none. */
    private long rowsBefore(ServerClient server) throws InterruptedException {
      JsonNode all = server.get(path(view), OUTAGE_TIMEOUT);
      for (JsonNode one : all.path("verifications")) {
        if (one.path("status").asText().equals("done")) {
          return one.path("counts").path("scanned").asLong();
        }
      }
      return 0;
    }

    private void sayHowFar() {
      if (isOpen()) {
        progress.show(known, System.nanoTime());
      }
    }

    /** Nothing more is said of how far it is. */
    void end() {
      if (progress != null) {
        progress.end();
      }
    }

    void rate() {
      if (known != null && !noWait && !what.cancel) {
        exitCode =
            is("done") && VerificationTables.left(known) == 0 ? ExitCodes.OK : ExitCodes.FAILED;
      }
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    if (all == !views.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "Name views, or use --all");
    }
    if (what.how.watch && noWait) {
      throw new ParameterException(spec.commandLine(), "--watch waits: leave --no-wait out");
    }
    ServerClient server = options.client();
    List<String> names = all ? names(server) : List.copyOf(new LinkedHashSet<>(views));
    if (what.how.watch) {
      watch(server, names);
    }
    int exitCode = ExitCodes.OK;
    for (Asked one : verify(server, names)) {
      if (one.known != null) {
        options.printer().print(one.known, out -> VerificationTables.print(one.known, out));
      }
      exitCode = Math.max(exitCode, one.exitCode);
    }
    return exitCode;
  }

  private List<String> names(ServerClient server) {
    List<String> names = new ArrayList<>();
    for (JsonNode view : server.get(ApiPath.of("views")).path("views")) {
      names.add(view.path("name").asText());
    }
    isAnswered = true;
    return names;
  }

  private void watch(ServerClient server, List<String> names) throws InterruptedException {
    List<String> watched = names;
    while (!watched.isEmpty()) {
      boolean pauses = false;
      List<Asked> asked = verify(server, watched);
      watched = asked.stream().filter(one -> !one.isLeftOut).map(one -> one.view).toList();
      for (Asked one : asked) {
        if (one.known != null) {
          options
              .printer()
              .print(one.known, out -> out.println(VerificationTables.line(one.known)));
        }
        pauses |= one.isWorthAPause();
      }
      if (pauses) {
        pause(RETRY);
      }
    }
  }

  private List<Asked> verify(ServerClient server, List<String> names) throws InterruptedException {
    List<Asked> asked = names.stream().map(Asked::new).toList();
    for (Asked one : asked) {
      try {
        one.known = what.last || what.cancel ? last(server, one.view) : ask(server, one.view);
        isAnswered = true;
      } catch (ApiException e) {
        isAnswered |= !ServerClient.mayPass(e);
        refused(e, e.exitCode(), e.type().equals(NOT_READABLE), one);
      } catch (CommandException.NotFound e) {
        refused(e, ExitCodes.NOT_FOUND, true, one);
      } catch (CommandException.Unavailable e) {
        refused(e, e.exitCode(), false, one);
      }
    }
    if (!noWait && !what.last && !what.cancel) {
      try {
        awaitEnds(server, asked.stream().filter(Asked::isOpen).toList());
      } finally {
        asked.forEach(Asked::end);
      }
    }
    asked.forEach(Asked::rate);
    return asked;
  }

  private void awaitEnds(ServerClient server, List<Asked> open) throws InterruptedException {
    boolean paints = open.size() == 1 && System.console() != null;
    for (Asked one : open) {
      one.begin(server, paints);
    }
    while (open.stream().anyMatch(Asked::isOpen)) {
      pause(POLL_INTERVAL);
      for (Asked one : open) {
        if (one.isOpen()) {
          one.poll(server);
        }
      }
    }
  }

  /** A request that is wrong is so for all views, and a server that fails does so, for a while. */
  private void refused(RuntimeException refusal, int exitCode, boolean isNoneOfAll, Asked one) {
    if (all && isNoneOfAll) {
      one.leaveOut(refusal);
      return;
    }
    boolean ofThisView = exitCode == ExitCodes.FAILED || exitCode == ExitCodes.NOT_FOUND;
    boolean endsAll =
        what.how.watch
            ? !ofThisView && !(isAnswered && ServerClient.mayPass(refusal))
            : !ofThisView || views.size() == 1;
    if (endsAll) {
      throw refusal;
    }
    one.tell(refusal, exitCode);
  }

  /**
   * A new one, or the one that is not over if it is as the last request asked for, which had no
   * answer.
   */
  private JsonNode ask(ServerClient server, String view) {
    try {
      JsonNode asked = server.post(path(view), Body.json(what.how.body()), Map.of());
      unanswered.remove(view);
      return asked;
    } catch (ApiException | CommandException.Unavailable e) {
      if (ServerClient.mayPass(e)) {
        unanswered.add(view);
        throw e;
      }
      if (unanswered.contains(view)) {
        JsonNode standing = verifications(server, view);
        unanswered.remove(view);
        for (JsonNode one : standing) {
          if (isOpen(one) && what.how.is(one)) {
            return one;
          }
        }
      }
      throw e;
    }
  }

  private static boolean isOpen(JsonNode verification) {
    return is(verification, "requested") || is(verification, "running");
  }

  /**
   * @param verification null: there is none
   */
  private static boolean is(JsonNode verification, String status) {
    return verification != null && verification.path("status").asText().equals(status);
  }

  /** The newest verification, with its cases; cancelled if that is wanted. */
  private JsonNode last(ServerClient server, String view) {
    JsonNode last =
        Optional.ofNullable(verifications(server, view).get(0))
            .orElseThrow(
                () ->
                    new CommandException.NotFound("view %s was not verified yet".formatted(view)));
    ApiPath path = path(view, last.path("id").asText());
    return what.cancel ? server.delete(path, Map.of()) : server.get(path);
  }

  /** Verifications without their cases, the newest first. */
  private static JsonNode verifications(ServerClient server, String view) {
    return server.get(path(view)).path("verifications");
  }

  private static ApiPath path(String view) {
    return ApiPath.of("views", view, "verifications");
  }

  private static ApiPath path(String view, String id) {
    return ApiPath.of("views", view, "verifications", id);
  }

  private static void pause(Duration duration) throws InterruptedException {
    if (new CountDownLatch(1).await(duration.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("nobody counts down");
    }
  }
}
