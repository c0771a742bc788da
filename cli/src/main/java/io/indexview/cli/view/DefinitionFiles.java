package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.output.TerminalText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The definitions of one command, checked together before any of them is used. */
final class DefinitionFiles {
  private static final String DEFINITIONS = "[!.]*.{json,yaml,yml}";

  private final ServerClient server;
  private final PrintWriter err;
  private final Map<DefinitionFile, JsonNode> planned = new LinkedHashMap<>();
  private int exitCode = ExitCodes.OK;

  DefinitionFiles(ServerClient server, PrintWriter err) {
    this.server = server;
    this.err = err;
  }

  /**
   * Asks the server to check all files; prints what is wrong with each.
   *
   * @param headers conditions
   * @return an exit code other than OK if anything is wrong
   */
  int check(List<Path> files, InputStream standardInput, Map<String, String> headers) {
    List<DefinitionFile> read = new ArrayList<>();
    for (Path given : files) {
      for (Path file : in(given)) {
        try {
          read.add(DefinitionFile.read(file, standardInput));
        } catch (CommandException.Usage e) {
          fail(List.of(e.getMessage()), ExitCodes.USAGE);
        }
      }
    }
    requireDifferentViews(read);
    for (DefinitionFile file : read) {
      try {
        planned.put(file, server.put(file.path().with("dryRun", true), file.body(), headers));
      } catch (ApiException e) {
        List<String> lines = new ArrayList<>(e.screen());
        lines.set(0, file.origin() + ": " + lines.get(0));
        fail(lines, e.exitCode());
      }
    }
    err.flush();
    return exitCode;
  }

  /** Files of a directory, or the one that is given. */
  private List<Path> in(Path given) {
    if (!Files.isDirectory(given)) {
      return List.of(given);
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(given, DEFINITIONS)) {
      all.forEach(found::add);
      Collections.sort(found);
      if (found.isEmpty()) {
        fail(
            List.of("directory %s holds no .json, .yaml or .yml file".formatted(given)),
            ExitCodes.USAGE);
      }
      return found;
    } catch (IOException | DirectoryIteratorException e) {
      fail(List.of("directory %s cannot be read: %s".formatted(given, e)), ExitCodes.USAGE);
      return List.of();
    }
  }

  /** Which of two definitions of a view is meant, nobody could tell. */
  private void requireDifferentViews(List<DefinitionFile> files) {
    Map<String, DefinitionFile> byView = new HashMap<>();
    for (DefinitionFile file : files) {
      DefinitionFile other = byView.putIfAbsent(file.view(), file);
      if (other != null) {
        fail(
            List.of(
                "view %s is defined twice, in %s and in %s; leave one out"
                    .formatted(file.view(), other.origin(), file.origin())),
            ExitCodes.USAGE);
      }
    }
  }

  private void fail(List<String> lines, int code) {
    lines.stream().map(TerminalText::clean).forEach(err::println);
    exitCode = Math.max(exitCode, code);
  }

  /** What each would change. */
  Map<DefinitionFile, JsonNode> planned() {
    return planned;
  }
}
