package io.indexview.streams.generation;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.generation.Preparation.LoadedViews;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.KnownTargets;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewValidator;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Loads the view files with the schemas of their record sets. What is wrong is said as early as it
 * can be known, all of it at once: a missing schema is waited for only when everything else is
 * right.
 */
final class ViewLoader {
  private final Optional<Path> directory;
  private final List<RecordSetConfig> recordSets;
  private final RecordSchemas schemas;
  private final Waiting waiting;
  private final ViewDefinitionParser parser;
  private final ViewValidator validator;

  /**
   * @param directory of the view files; empty: there are none
   */
  ViewLoader(
      Optional<Path> directory,
      List<RecordSetConfig> recordSets,
      RecordSchemas schemas,
      KnownTargets targets,
      Waiting waiting) {
    this.directory = directory;
    this.recordSets = recordSets;
    this.schemas = schemas;
    this.parser = new ViewDefinitionParser(targets);
    this.validator = new ViewValidator(targets);
    this.waiting = waiting;
  }

  /**
   * The views, if the schemas of all record sets are known now.
   *
   * @throws InvalidConfigException if a file or a schema cannot be used
   * @throws InvalidViewException if a view is not valid
   */
  Optional<LoadedViews> known() {
    Map<String, String> texts = texts();
    RecordSchemas.Known found = schemas.known(recordSets);
    if (found.recordSets().size() < recordSets.size()) {
      checkWhatCanBe(texts, found);
      return Optional.empty();
    }
    return Optional.of(loaded(texts, found.recordSets()));
  }

  /** The views, once the schemas are known; throws as {@link #known} does. */
  LoadedViews await() {
    Map<String, RecordSet> now = schemas.known(recordSets).recordSets();
    return loaded(texts(), waiting.until(missing(now), this::all));
  }

  private Map<String, String> texts() {
    return directory.map(ViewFiles::read).orElse(Map.of());
  }

  private LoadedViews loaded(Map<String, String> texts, Map<String, RecordSet> all) {
    return new LoadedViews(parser.parseAll(texts, all), all);
  }

  private Optional<Map<String, RecordSet>> all() {
    RecordSchemas.Known found = schemas.known(recordSets);
    requireNone(found.problems());
    return found.recordSets().size() == recordSets.size()
        ? Optional.of(found.recordSets())
        : Optional.empty();
  }

  private String missing(Map<String, RecordSet> known) {
    return recordSets.stream()
        .filter(recordSet -> !known.containsKey(recordSet.name()))
        .map(
            recordSet ->
                "record set \"%s\" (%s)"
                    .formatted(recordSet.name(), RecordSchemas.origin(recordSet)))
        .collect(Collectors.joining(", ", "the record schema of ", ""));
  }

  private void checkWhatCanBe(Map<String, String> texts, RecordSchemas.Known found) {
    Map<String, RecordSet> known = found.recordSets();
    List<String> problems = new ArrayList<>(found.problems());
    texts.forEach(
        (file, text) -> {
          try {
            ViewDefinition view = parser.parse(file, text);
            if (known.containsKey(view.source())) {
              validator
                  .problems(view, known.get(view.source()))
                  .forEach(problem -> problems.add(file + ": " + problem));
            } else if (isUnknown(view.source())) {
              problems.add(
                  "%s: source \"%s\" is no record set of this application (record.sets)"
                      .formatted(file, view.source()));
            }
          } catch (InvalidViewException e) {
            e.problems().forEach(problem -> problems.add(file + ": " + problem));
          }
        });
    requireNone(problems);
  }

  private static void requireNone(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new InvalidConfigException("The views cannot be used", problems);
    }
  }

  private boolean isUnknown(String source) {
    return recordSets.stream().noneMatch(recordSet -> recordSet.name().equals(source));
  }

  /** The view definition files of a directory. */
  static final class ViewFiles {
    private static final List<String> EXTENSIONS = List.of(".json", ".yaml", ".yml");

    private ViewFiles() {}

    /**
     * The texts by file name, in the order of the names.
     *
     * @throws InvalidConfigException naming every file that cannot be read
     */
    static Map<String, String> read(Path directory) {
      List<String> problems = new ArrayList<>();
      Map<String, String> texts = new LinkedHashMap<>();
      for (Path file : list(directory)) {
        try {
          texts.put(file.getFileName().toString(), Files.readString(file));
        } catch (CharacterCodingException e) {
          problems.add(file + ": is not UTF-8 text");
        } catch (IOException e) {
          problems.add(file + ": cannot be read: " + e.getMessage());
        }
      }
      if (!problems.isEmpty()) {
        throw new InvalidConfigException("The view files are not usable", problems);
      }
      if (texts.isEmpty()) {
        throw unusable(directory, "holds no view definition (.json, .yaml, .yml)");
      }
      return texts;
    }

    private static List<Path> list(Path directory) {
      try (Stream<Path> files = Files.list(directory)) {
        return files.filter(Files::isRegularFile).filter(ViewFiles::isDefinition).sorted().toList();
      } catch (IOException e) {
        throw unusable(directory, "cannot be read: " + e);
      }
    }

    private static boolean isDefinition(Path file) {
      String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
      return !name.startsWith(".") && EXTENSIONS.stream().anyMatch(name::endsWith);
    }

    private static InvalidConfigException unusable(Path directory, String why) {
      return new InvalidConfigException(
          "The view files are not usable", List.of("views.dir: " + directory + " " + why));
    }
  }
}
