package io.indexview.client.admin;

import io.indexview.client.admin.ViewAdmin.NoStandbyException;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.SpecLog.VersionConflict;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.views.definition.InvalidViewException;
import java.util.List;
import java.util.OptionalLong;

/**
 * The views of an installation. Safe for use by many threads. What it tells is as new as the call.
 *
 * <p>Changes take an expected version: that of the spec as it was looked at ({@link
 * ViewSpec#version}), {@link SpecLog#ABSENT} for a view that must not be there, or nothing for any.
 * Another version is a {@link VersionConflict}, and nothing is changed. A spec that cannot be read
 * here, as that of a newer release, can be replaced and dropped as long as no version is expected;
 * other changes of it are an {@link UnreadableSpec}.
 *
 * <p>All methods throw {@link org.apache.kafka.common.KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer.
 */
public interface ViewCatalog {
  /** All views, those that are being deleted included, by name; no target is asked. */
  List<ViewStatus> list();

  /**
   * One view, and whether its target tells its readers that it is READY.
   *
   * @throws ViewNotFoundException if there is none, nor the rest of one
   */
  ViewStatus get(String view);

  /** What views can be defined on; empty until the streams app has started once. */
  List<RecordSetInfo> recordSets();

  /**
   * What {@link #apply} would do.
   *
   * @param origin where the text came from, for messages
   * @param text JSON or YAML
   * @throws InvalidViewException with everything that is wrong with it
   */
  ViewChange diff(String origin, String text);

  /**
   * Asks for a view. It is checked, and found free of names that other views have, against what
   * stands when it is made.
   *
   * @param origin where the text came from, for messages
   * @param text JSON or YAML
   * @param expected see the class
   * @throws InvalidViewException with everything that is wrong with it
   * @throws VersionConflict if another version stands
   */
  ViewChange apply(String origin, String text, OptionalLong expected);

  /**
   * Withdraws a view; its rows are removed in the background.
   *
   * @throws ViewNotFoundException if there is none, or it is being deleted already
   * @throws VersionConflict if another version stands
   */
  void drop(String view, OptionalLong expected);

  /**
   * Asks for another build of the definition that is wanted.
   *
   * @throws ViewNotFoundException if there is none
   * @throws VersionConflict if another version stands
   */
  ViewSpec rebuild(String view, BuildMode mode, OptionalLong expected);

  /**
   * Asks for the generation before: the serving one while another is being built, else the one that
   * stands by since the last switch.
   *
   * @throws ViewNotFoundException if there is no such view
   * @throws NoStandbyException if it has no such generation
   * @throws VersionConflict if another version stands
   */
  ViewSpec rollback(String view, OptionalLong expected);
}
